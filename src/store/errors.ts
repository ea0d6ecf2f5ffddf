/**
 * locked: another process has the data directory.
 * unopenable: the data are of another version, damaged, or cannot be written durably.
 * unsupported: this engine does not support the operation; the message names the alternative.
 * keys_*: the keys are missing while sealed data exist, unfit for use, or not those of these data.
 * unreadable: a sealed value does not open: another person's, altered, or its key is gone.
 * exists: there is a file under that path already, and it is not overwritten.
 * unwritable: a file cannot be written where it was asked for.
 * refused: the engine does not let this user in, or does not have this database.
 * unreachable: the engine does not answer yet; another start may find it there.
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
