/**
 * Failures of a call to the marketplace, as a closed list. A `definite` code proves that the call had no effect; every
 * other code leaves that open.
 */
export const MARKETPLACE_ERROR_CODES = {
  /** Refused, DNS or TLS error before any byte was written. */
  unreachable: { definite: true },
  /** The deadline passed before the first byte was written: nothing was sent. */
  too_late: { definite: true },
  /** Access token rejected (401): refresh first. */
  unauthorised: { definite: true },
  /** The refresh token is permanently rejected: the person must connect the account again. */
  session_refused: { definite: true },
  /** 403 of a known shape, or a page for humans (captcha). */
  blocked: { definite: false },
  /** 429 of a known shape; `retryAfterMs` says when. */
  rate_limited: { definite: true },
  sold: { definite: true },
  reserved: { definite: true },
  withdrawn: { definite: true },
  price_changed: { definite: true },
  insufficient_funds: { definite: true },
  address_invalid: { definite: true },
  payment_refused: { definite: true },
  /** The marketplace refuses the cancellation. */
  cancel_refused: { definite: true },
  not_found: { definite: true },
  /** Our own deadline expired. */
  timeout: { definite: false },
  /** The connection broke after the first byte. */
  broken_connection: { definite: false },
  /** 5xx, 408, 425. */
  server_error: { definite: false },
  /** A 3xx, which is never followed. */
  redirected: { definite: false },
  /** An answer that does not have the agreed shape, is too large, or is about something else. */
  unreadable: { definite: false },
} as const;

export type MarketplaceErrorCode = keyof typeof MARKETPLACE_ERROR_CODES;

export class MarketplaceError extends Error {
  override readonly name = "MarketplaceError";
  readonly code: MarketplaceErrorCode;
  readonly status: number | null;
  /** The delay requested by the marketplace, if any. */
  readonly retryAfterMs: number | null;
  readonly #isDoubtful: boolean;

  constructor(
    code: MarketplaceErrorCode,
    details: {
      readonly status?: number;
      readonly retryAfterMs?: number | null;
      /** The answer does not have the agreed shape, so it proves nothing about the call's effect. */
      readonly isDoubtful?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(`marketplace: ${code}`, { cause: details.cause });
    this.code = code;
    this.status = details.status ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.#isDoubtful = details.isDoubtful ?? false;
  }

  /** The call certainly had no effect. */
  get isDefinite(): boolean {
    return MARKETPLACE_ERROR_CODES[this.code].definite && !this.#isDoubtful;
  }
}

/** Whether the marketplace answered, in the agreed shape, that the requested object does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof MarketplaceError && error.isDefinite && error.code === "not_found";
}
