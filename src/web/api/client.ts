/** HTTP client for the product's API (contract/calls.ts). No request has a timeout (specification §9). */
import type { Body, CallName } from "#contract/calls.ts";
import type { Argent, RefusalCode } from "#contract/envelope.ts";
import { readAnswer, readRefusal, routeOf, UnreadableAnswer } from "./answers.ts";
import { logFailure } from "./log.ts";
import type { ReadAnswer } from "./panel-answers.ts";

const UNREACHABLE_TEXT = "Le serveur ne répond pas. Vérifiez votre connexion.";
const OFFLINE_TEXT = "Vous êtes hors ligne.";
const UNREADABLE_TEXT = "La réponse du serveur est illisible. Réessayez.";

/** The server's code, or `hors_ligne` if nothing was sent. */
type CallErrorCode = RefusalCode | "hors_ligne";

interface CallErrorDetails {
  readonly cause?: unknown;
  readonly code?: CallErrorCode | undefined;
  readonly field?: string | undefined;
  readonly price?: Argent | undefined;
  readonly purchaseId?: string | undefined;
}

/** A call that was refused or got no response; the message is French and can be shown. */
export class CallError extends Error {
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** Why a click bought nothing, if the server says so. */
  readonly code: CallErrorCode | undefined;
  /** The invalid field of the request body, if there is one. */
  readonly field: string | undefined;
  /** The listing's current price, if it rose. */
  readonly price: Argent | undefined;
  /** The failed purchase, if one was begun. */
  readonly purchaseId: string | undefined;

  constructor(message: string, status: number, details: CallErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "CallError";
    this.status = status;
    this.code = details.code;
    this.field = details.field;
    this.price = details.price;
    this.purchaseId = details.purchaseId;
  }
}

interface Sent<Name extends CallName> {
  readonly body?: Body<Name>;
  readonly query?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Makes one call with the session's cookie. Throws a CallError for a status other than 2xx, a body that
 * reports a failure (see `isRefusal`), or an unreadable one.
 */
export async function call<Name extends CallName>(
  name: Name,
  sent: Sent<Name> = {},
): Promise<ReadAnswer<Name>> {
  const { method, path } = routeOf(name);
  const search = sent.query === undefined ? "" : `?${new URLSearchParams(sent.query).toString()}`;
  const response = await answerOf(`${path}${search}`, {
    method,
    credentials: "include",
    cache: "no-store",
    ...(sent.signal === undefined ? {} : { signal: sent.signal }),
    ...(sent.body === undefined
      ? {}
      : { body: JSON.stringify(sent.body), headers: { "content-type": "application/json" } }),
  });
  const body = await bodyOf(response, sent.signal);
  if (!response.ok || isRefusal(body)) throw refusalOf(response, body);
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readers are keyed by call name
    return readAnswer(name, body) as ReadAnswer<Name>;
  } catch (cause) {
    if (!(cause instanceof UnreadableAnswer)) throw cause;
    logFailure("unreadable answer", { call: name, where: cause.message });
    throw new CallError(UNREADABLE_TEXT, response.status, { cause });
  }
}

/** The French text to show for anything thrown. */
export function errorText(error: unknown): string {
  return error instanceof CallError ? error.message : UNREACHABLE_TEXT;
}

/** Whether the call failed while the browser had no network. */
export function isOffline(error: unknown): boolean {
  return error instanceof CallError && error.message === OFFLINE_TEXT;
}

/** True without a refusal code or a 4xx status: the command may have taken effect. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof CallError)) return true;
  return error.code === undefined && (error.status < 400 || error.status >= 500);
}

/** Whether the call failed because the session or its level is gone. */
export function isAccessLost(error: unknown): boolean {
  return error instanceof CallError && (error.status === 401 || error.status === 403);
}

async function answerOf(address: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(address, options);
  } catch (cause) {
    const hasNoNetwork = "onLine" in navigator && !navigator.onLine;
    throw new CallError(hasNoNetwork ? OFFLINE_TEXT : UNREACHABLE_TEXT, 0, { cause });
  }
}

/** `success: false`, or an `error` without `success`, is a failure whatever the status (specification §8). */
function isRefusal(body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  return "success" in body ? body.success === false : "error" in body && typeof body.error === "string";
}

function refusalOf({ status }: Response, body: unknown): CallError {
  const { error, code, champ: field, prix: price, achat: purchaseId } = readRefusal(body);
  const text = error === "" ? `Le serveur a refusé la demande (${status}).` : error;
  return new CallError(text, status, { code, field, price, purchaseId });
}

/** The body as JSON; undefined if it is not JSON or the connection broke midway. */
async function bodyOf(response: Response, signal?: AbortSignal): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    // The caller aborted the request: an incomplete body is expected, not a failure.
    if (signal?.aborted === true) throw cause;
    return undefined;
  }
}
