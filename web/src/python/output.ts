/** Gathers what Python prints, so that the page is told a few times a second and never more than it can show. */

const MAX_CHARACTERS = 200_000;
const PAUSE_MS = 60;

export class Output {
  private readonly decoder = new TextDecoder();
  private waiting = "";
  private room = MAX_CHARACTERS;
  private told = 0;

  constructor(private readonly tell: (text: string) => void) {}

  write(bytes: Uint8Array): number {
    if (this.room > 0) {
      const text = this.decoder.decode(bytes, { stream: true });
      this.waiting += text.slice(0, this.room);
      this.room -= text.length;
      if (this.room <= 0) this.waiting += "\n… and more, which is not shown.\n";
    }
    if (performance.now() - this.told > PAUSE_MS) this.flush();
    return bytes.length;
  }

  flush(): void {
    if (this.waiting) this.tell(this.waiting);
    this.waiting = "";
    this.told = performance.now();
  }
}
