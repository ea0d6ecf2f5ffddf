import type { RefusalCode } from "#marketplace/wire.ts";

/** The marketplace refuses a call; it had no effect. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;

  constructor(code: RefusalCode) {
    super(`refused: ${code}`);
    this.code = code;
  }
}
