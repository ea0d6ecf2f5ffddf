import type { z } from "zod";
import { parseJson } from "#domain/json.ts";
import { MarketplaceError, type MarketplaceErrorCode } from "./errors.ts";
import type { ExchangeAnswer } from "./exchange.ts";
import { REFUSALS, wireRefusal, type RefusalCode } from "./wire.ts";

const CODE_OF_REFUSAL: Readonly<Record<RefusalCode, MarketplaceErrorCode>> = {
  invalid_authentication_token: "unauthorised",
  invalid_refresh_token: "session_refused",
  not_found: "not_found",
  access_denied: "blocked",
  too_many_requests: "rate_limited",
  item_sold: "sold",
  item_reserved: "reserved",
  item_withdrawn: "withdrawn",
  price_changed: "price_changed",
  insufficient_funds: "insufficient_funds",
  address_invalid: "address_invalid",
  payment_refused: "payment_refused",
  cancel_refused: "cancel_refused",
  invalid_request: "unreadable",
};

/**
 * Returns the answer's content or throws a MarketplaceError. An allowlist: only a refusal with the agreed shape, code
 * and status is definite; any other failure leaves open what the call did.
 */
export function readAnswer<Schema extends z.ZodType>(
  answer: ExchangeAnswer,
  schema: Schema,
  nowMs: number,
): z.output<Schema> {
  const { status } = answer;
  if (status >= 500 || status === 408 || status === 425)
    throw new MarketplaceError("server_error", { status });
  if (status >= 300 && status < 400) throw new MarketplaceError("redirected", { status });
  // It proves nothing about the call's effect.
  if (status === 200 && isCaptcha(answer.text))
    throw new MarketplaceError("blocked", { status, isDoubtful: true });
  // Not JSON: legitimate, for example a page with 403. The schemas reject undefined.
  const content = parseJson(answer.text);
  if (status >= 400) throw refusal(answer, content, nowMs);
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  // A non-zero code is an error even with 200, but proves nothing without its own status.
  throw refusal(answer, content, nowMs);
}

/** A page that asks for a human, which may come with 200. Other pages, for example of a maintenance, are unreadable. */
function isCaptcha(text: string): boolean {
  return text.trimStart().startsWith("<") && /captcha|\brobot\b/iu.test(text);
}

function refusal(answer: ExchangeAnswer, content: unknown, nowMs: number): MarketplaceError {
  const { status } = answer;
  const known = knownRefusal(content);
  const isAgreed = known !== null && REFUSALS[known].status === status;
  const code = known === null ? codeByStatus(status) : CODE_OF_REFUSAL[known];
  return new MarketplaceError(code, {
    status,
    isDoubtful: !isAgreed,
    retryAfterMs: status === 429 ? retryAfterMs(answer.retryAfter, nowMs) : null,
  });
}

function knownRefusal(content: unknown): RefusalCode | null {
  const parsed = wireRefusal.safeParse(content);
  if (!parsed.success) return null;
  const { code, message_code: name } = parsed.data;
  return isRefusalCode(name) && REFUSALS[name].code === code ? name : null;
}

function isRefusalCode(name: string): name is RefusalCode {
  return Object.hasOwn(REFUSALS, name);
}

/** The most likely meaning of an answer without the agreed shape: good enough for a pause, never a proof. */
function codeByStatus(status: number): MarketplaceErrorCode {
  if (status === 429) return "rate_limited";
  if (status === 403) return "blocked";
  if (status === 404 || status === 410) return "not_found";
  return "unreadable";
}

/** Upper bound: a mistake of the marketplace must not silence the product for years. */
const MAX_RETRY_AFTER_MS = 7 * 24 * 60 * 60_000;

/** Milliseconds of a `Retry-After` in seconds or as a date, at most a week; null if absent, invalid or in the past. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  if (/^\d{1,20}$/.test(header)) return Math.min(Number(header) * 1_000, MAX_RETRY_AFTER_MS);
  // An HTTP date has a weekday and a zone: a bare number such as "-1" must not be parsed as a year.
  if (!/^[A-Z][a-z]{2}, .{1,60} GMT$/.test(header)) return null;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) || atMs <= nowMs ? null : Math.min(atMs - nowMs, MAX_RETRY_AFTER_MS);
}
