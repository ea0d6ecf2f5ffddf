import type { RefusalCode } from "#contract/envelope.ts";
import type { PurchaseId } from "#domain/ids.ts";
import { tooManyText } from "./error-texts.ts";

export interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>;
  /** For the page, which must not read the sentence. */
  readonly code?: RefusalCode;
  /** The field of the body that is to be mended, as the wire calls it: "adresse.code_postal". */
  readonly field?: string;
  /** What the listing costs by now. */
  readonly priceCents?: number;
  readonly purchaseId?: PurchaseId;
}

/** An answer that refuses: thrown anywhere below a route, written to the wire in one place (plugins/failures.ts). */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  /** French, for the person. */
  readonly text: string;
  readonly details: RefusalDetails;

  constructor(status: number, text: string, details: RefusalDetails = {}) {
    super(`refused with ${status}`);
    this.status = status;
    this.text = text;
    this.details = details;
  }
}

/** Too many calls: says when the next one may come. */
export function tooMany(waitMs: number): Refusal {
  const waitS = Math.ceil(waitMs / 1_000);
  return new Refusal(429, tooManyText(waitS), { headers: { "retry-after": String(waitS) } });
}
