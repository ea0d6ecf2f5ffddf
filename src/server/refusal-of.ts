import { StoreError, type StoreErrorCode } from "#store/errors.ts";
import { StartLater, StartRefused } from "./start-refused.ts";

const MAY_PASS: ReadonlySet<StoreErrorCode> = new Set(["unanswered", "unreachable"]);

/** The message of a failed start that may succeed later; null for any other failure. */
export function delayOf(error: unknown): string | null {
  if (error instanceof StartLater) return error.message;
  return error instanceof StoreError && error.code === "unreachable" ? error.message : null;
}

/**
 * The message of a failed start that another start would not fix; null for any other failure.
 */
export function refusalOf(error: unknown): string | null {
  if (error instanceof StartRefused) return error.message;
  if (error instanceof StoreError) return MAY_PASS.has(error.code) ? null : error.message;
  return portRefusal(error);
}

function portRefusal(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || !("port" in error)) return null;
  const { code, port } = error;
  if (code === "EADDRINUSE")
    return `port ${String(port)} is in use: end the program that has it, or set another port`;
  if (code === "EACCES")
    return `port ${String(port)} may not be opened by this system user: set another port`;
  return code === "EADDRNOTAVAIL" ? `HOST or SANDBOX_HOST is no address of this machine` : null;
}
