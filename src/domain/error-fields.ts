import type { LogFields } from "#domain/log.ts";

const MAX_CAUSES = 4;

/**
 * What a log may contain about an error: names, codes and stack frames. Never the message, which may quote what was
 * being processed (a query with its parameters, an address, a token).
 */
export function describeError(error: unknown): LogFields {
  const chain = causeChain(error);
  const codes = chain.map(codeOf).filter((code) => code !== null);
  const [first] = chain;
  return {
    errorName: chain.map((one) => one.name).join(" < ") || typeof error,
    ...(codes.length === 0 ? {} : { errorCode: codes.join(" < ") }),
    ...(first === undefined ? {} : { errorAt: placesOf(first) }),
  };
}

function causeChain(error: unknown): Error[] {
  const chain: Error[] = [];
  let current = error;
  while (current instanceof Error && chain.length < MAX_CAUSES) {
    chain.push(current);
    current = current.cause;
  }
  return chain;
}

function codeOf(error: Error): string | null {
  const code: unknown = "code" in error ? error.code : undefined;
  if (typeof code === "number") return String(code);
  return typeof code === "string" && /^[\w.-]{1,60}$/.test(code) ? code : null;
}

/** The stack's frames only: its first lines are the message. */
function placesOf(error: Error): string {
  const stack = error.stack ?? "";
  const headEnd = stack.indexOf(error.message) + error.message.length;
  return stack
    .slice(headEnd)
    .split("\n")
    .filter((line) => /^ {4}at .+(:\d+:\d+\)?|<anonymous>\)?)$/.test(line))
    .slice(0, 12)
    .map((line) => line.trim().slice(3))
    .join(" | ");
}
