/** Modules to and from the student's disk. */

export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/x-python" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The text of a file, or undefined when it is not UTF-8. */
export async function readUpload(file: File): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()).replace(/\r\n?/g, "\n");
  } catch {
    return undefined;
  }
}
