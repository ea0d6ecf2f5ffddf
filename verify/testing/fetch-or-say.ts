import { codeOf } from "#domain/network.ts";

/**
 * `fetch` whose error says what was asked and why no answer came: reports of failed tests leave out the cause of an
 * error.
 */
export async function fetchOrSay(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const why = codeOf(cause) || (cause instanceof Error ? cause.message : String(error));
    throw new Error(`${init.method ?? "GET"} ${new URL(url).pathname}: no answer, ${why}`, { cause: error });
  }
}
