import { causeChain } from "#domain/log.ts";

/**
 * locked: another process has the data directory.
 * unopenable: the data are of another version, damaged, or cannot be written durably.
 * unsupported: this engine does not support the operation; the message names the alternative.
 * keys_*: the keys are missing while sealed data exist, malformed, or not those of these data.
 * unreadable: a sealed value cannot be opened: it is another person's or altered, or its key is gone.
 * exists: there is a file under that path, which is not overwritten.
 * unwritable: a file cannot be written under the given path.
 * refused: the server refuses the user or password, or does not have this database.
 * unreachable: the server does not answer yet; another start may succeed.
 * uncertain: the connection broke at a commit, which may have taken effect.
 * unanswered: the engine no longer answers; the process must be restarted.
 * overloaded: the queue of the store is full.
 */
export type StoreErrorCode =
  | "locked"
  | "unopenable"
  | "unsupported"
  | "keys_missing"
  | "keys_invalid"
  | "keys_unfit"
  | "unreadable"
  | "exists"
  | "unwritable"
  | "refused"
  | "unreachable"
  | "uncertain"
  | "unanswered"
  | "overloaded"
  | "closed";

/** A failure of the store itself. The message is one clear line for the operator and holds no secret. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Whether an error is transient: the store is unreachable, the connection was lost, the disk is full, or the transaction
 * was aborted by a deadlock or serialization failure. A retry may succeed; whether the failed statement took effect is
 * unknown. False for constraint violations and bugs, which would recur.
 */
export function isStoreAway(error: unknown): boolean {
  return causeChain(error).some(isAvailabilityError);
}

/** Node's error codes of an unreachable server or a lost connection. */
const NETWORK_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
/** SQLSTATE codes: connection errors, insufficient resources, deadlock, serialization failure, shutdown or start-up. */
const SERVER_CODES = /^(?:08|53|57P)\w+$|^(?:40001|40P01|25006|57014)$/;
/** Errors of the driver that carry no code. */
const DRIVER_MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

function isAvailabilityError(error: Error): boolean {
  if (error instanceof StoreError) return error.code === "overloaded";
  const code: unknown = "code" in error ? error.code : undefined;
  if (typeof code === "string") return NETWORK_CODES.has(code) || SERVER_CODES.test(code);
  return DRIVER_MESSAGES.test(error.message);
}
