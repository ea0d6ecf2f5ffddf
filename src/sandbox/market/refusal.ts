import type { RefusalCode } from "#marketplace/wire.ts";

/** The marketplace says no, and nothing happened. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;

  constructor(code: RefusalCode) {
    super(`refused: ${code}`);
    this.code = code;
  }
}
