import type { Log, LogFields } from "#domain/log.ts";

export interface LoggedLine {
  readonly level: "info" | "warn" | "error";
  readonly fields: LogFields;
  readonly message: string;
}

/** A log that keeps its lines for assertions. */
export function createQuietLog(): Log & { readonly lines: readonly LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const at =
    (level: LoggedLine["level"]) =>
    (fields: LogFields, message: string): void => {
      lines.push({ level, fields, message });
    };
  return { lines, info: at("info"), warn: at("warn"), error: at("error") };
}
