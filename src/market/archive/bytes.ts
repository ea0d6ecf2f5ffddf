/** Encodes numbers and texts for the columns of archived blocks: LEB128 varints, zigzag for signed ones. */

const CONTINUES = 0x80;
const PAYLOAD = 0x80;
/** Number of values in the first byte of a signed number, besides its sign. */
const SIGNED_PAYLOAD = 0x40;

export class ByteWriter {
  #bytes = new Uint8Array(1_024);
  #length = 0;

  /** A whole number from 0 to 2^53 - 1. */
  whole(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= PAYLOAD) {
      this.#bytes[this.#length] = (rest % PAYLOAD) | CONTINUES;
      this.#length += 1;
      rest = Math.floor(rest / PAYLOAD);
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** A safe integer. Its first byte is encoded here, because the zigzag number may exceed 2^53. */
  signed(value: number): void {
    const sign = value < 0 ? 1 : 0;
    const magnitude = value < 0 ? -value - 1 : value;
    const first = (magnitude % SIGNED_PAYLOAD) * 2 + sign;
    if (magnitude < SIGNED_PAYLOAD) return this.whole(first);
    this.#reserve(1);
    this.#bytes[this.#length] = first | CONTINUES;
    this.#length += 1;
    return this.whole(Math.floor(magnitude / SIGNED_PAYLOAD));
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    grown.set(this.taken());
    this.#bytes = grown;
  }
}

/** Reads what a `ByteWriter` wrote. @throws RangeError beyond the end */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  whole(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at] ?? beyondEnd();
    this.#at += 1;
    if (byte < CONTINUES) return byte;
    let value = byte & ~CONTINUES;
    let scale = PAYLOAD;
    do {
      byte = bytes[this.#at] ?? beyondEnd();
      this.#at += 1;
      value += (byte & ~CONTINUES) * scale;
      scale *= PAYLOAD;
    } while (byte >= CONTINUES);
    return value;
  }

  signed(): number {
    const first = this.#bytes[this.#at] ?? beyondEnd();
    this.#at += 1;
    const low = (first & ~CONTINUES) >> 1;
    const magnitude = first < CONTINUES ? low : low + this.whole() * SIGNED_PAYLOAD;
    return (first & 1) === 1 ? -magnitude - 1 : magnitude;
  }

  bytes(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) beyondEnd();
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
}

function beyondEnd(): never {
  throw new RangeError("the block ends too early");
}
