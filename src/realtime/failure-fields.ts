import type { LogFields } from "#domain/log.ts";

/** What a log may say of an unexpected failure: its kind, never its message. */
export function failureFields(error: unknown): LogFields {
  return { errorName: error instanceof Error ? error.name : typeof error };
}
