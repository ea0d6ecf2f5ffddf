import { StoreError } from "#store/errors.ts";
import { StartRefused } from "./start-refused.ts";

/**
 * The line that refuses the start for a failure that starting again would not mend; null for any other.
 * Whatever may pass by itself (a database that is not up yet) is no refusal.
 */
export function refusalOf(error: unknown): string | null {
  if (error instanceof StartRefused) return error.message;
  if (error instanceof StoreError) return error.code === "unanswered" ? null : error.message;
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
