/** An answer that refuses: thrown anywhere below a route, written to the wire in one place (plugins/failures.ts). */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  /** French, for the person. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}`);
    this.status = status;
    this.text = text;
    this.headers = headers;
  }
}
