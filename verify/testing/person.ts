import { type Answer, type Body, type CallName, calls } from "#contract/calls.ts";
import { SIGN_IN_PATH } from "#contract/first-routes.ts";

/** An HTTP answer with its parsed body. */
export interface RawAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** A person's browser as the API sees it: a cookie and calls. */
export interface Person {
  readonly name: string;
  /** The product's address. */
  readonly url: string;
  /** The `Cookie` header that this person sends; "" after signing out. */
  readonly cookie: string;
  /** Makes a call of the contract; throws unless it is answered 200 in the agreed shape. */
  call<Name extends CallName>(name: Name, ...body: CallParameters<Name>): Promise<Answer<Name>>;
  /** Sends any request and returns any answer. */
  raw(method: string, path: string, body?: unknown): Promise<RawAnswer>;
}

type CallParameters<Name extends CallName> = [Body<Name>] extends [never] ? [] : [body: Body<Name>];

const ANSWER_TIMEOUT_MS = 120_000;

/**
 * Signs in as a persona of the sandbox, following the same redirects as a browser.
 * @param name of `a-z0-9-`; "seeker…", "acquire…" and "thunder…" get that plan
 */
export async function signInAt(url: string, name: string): Promise<Person> {
  const begun = await go(`${url}${SIGN_IN_PATH}`, "");
  const approved = await go(`${locationOf(begun)}&persona=${name}`, "");
  const callback = locationOf(approved);
  if (!callback.startsWith(`${url}/`)) throw new Error(`the sign-in leads to ${callback}`);
  const finished = await go(callback, cookiesOf(begun));
  const session = cookiesOf(finished);
  if (!session.includes("__Host-sid=")) throw new Error(`${name} has no session after ${finished.status}`);
  return personWith(url, name, session);
}

function personWith(url: string, name: string, cookie: string): Person {
  async function raw(method: string, path: string, body?: unknown): Promise<RawAnswer> {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      headers: { cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return { status: response.status, body: readBody(await response.text()), headers: response.headers };
  }

  return {
    name,
    url,
    cookie,
    raw,
    async call<Name extends CallName>(callName: Name, ...[body]: CallParameters<Name>) {
      const { method, path, answer } = calls[callName];
      const received = await raw(method, path, body ?? (method === "POST" ? {} : undefined));
      if (received.status !== 200)
        throw new Error(`${method} ${path}: ${received.status} ${JSON.stringify(received.body)}`);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by the very schema that types it
      return answer.parse(received.body) as Answer<Name>;
    },
  };
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function go(address: string, cookie: string): Promise<Response> {
  return fetch(address, {
    redirect: "manual",
    headers: cookie === "" ? {} : { cookie },
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
}

function locationOf(response: Response): string {
  const location = response.headers.get("location");
  if (location === null) throw new Error(`${response.url} answered ${response.status} instead of a redirect`);
  return new URL(location, response.url).href;
}

/** The cookies that a browser would send back, without those that were cleared. */
function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .filter((text) => !/;\s*max-age=0/i.test(text))
    .map((text) => text.split(";", 1)[0] ?? "")
    .join("; ");
}
