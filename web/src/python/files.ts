/** Python's part as it comes over the network. */

type Progress = (received: number) => void;

/** Fetch a file and report the bytes as they arrive (before any decompression the server asked for, so roughly). */
export async function fetchCounted(url: string, progress: Progress): Promise<Response> {
  const response = await fetch(url, { credentials: "same-origin" });
  if (!response.ok || !response.body) throw new Error(`${new URL(url).pathname}: ${response.status}`);
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        progress(chunk.byteLength);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { headers: response.headers });
}

/** Yield the files of the packed, compressed archive that the build wrote. */
export async function unpack(response: Response): Promise<[string, Uint8Array][]> {
  const plain = response.body!.pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(plain).arrayBuffer();
  const indexLength = new DataView(buffer).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, indexLength))) as [string, number][];
  let offset = 4 + indexLength;
  return index.map(([name, length]) => {
    const content = new Uint8Array(buffer, offset, length);
    offset += length;
    return [name, content];
  });
}
