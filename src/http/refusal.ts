import type { RefusalCode } from "#contract/envelope.ts";
import type { PurchaseId } from "#domain/ids.ts";
import { tooManyText } from "./error-texts.ts";

export interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>;
  /** For the page, which must not parse the sentence. */
  readonly code?: RefusalCode;
  /** The invalid field of the body, by its wire name: "adresse.code_postal". */
  readonly field?: string;
  /** What the listing costs by now. */
  readonly priceCents?: number;
  readonly purchaseId?: PurchaseId;
}

/** A refusal with its status and text: thrown anywhere below a route, sent in one place (plugins/failures.ts). */
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

/** 429 with `Retry-After`. */
export function tooMany(waitMs: number): Refusal {
  const waitS = Math.ceil(waitMs / 1_000);
  return new Refusal(429, tooManyText(waitS), { headers: { "retry-after": String(waitS) } });
}
