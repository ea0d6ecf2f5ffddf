import type { LogFields } from "#domain/log.ts";

/** The loggable fields of an unexpected failure: its name, never its message. */
export function failureFields(error: unknown): LogFields {
  return { errorName: error instanceof Error ? error.name : typeof error };
}
