import type { RedisClientType } from "@redis/client";
import { createClient } from "@redis/client";
import type { Log } from "#domain/log.ts";

export type RedisClient = RedisClientType;

/** The connections to the Redis that the nodes share. They come back by themselves; what is asked meanwhile waits. */
export interface Redis extends AsyncDisposable {
  /** For everything that answers at once. */
  readonly client: RedisClient;
  /** One more, for what waits for news; closed with the rest. */
  connection(): Promise<RedisClient>;
  /** Called when Redis is there again after a break: what was told meanwhile may be lost. */
  onRestored(listener: () => void): () => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const LONGEST_RECONNECT_MS = 1_000;
/** Many times what is under way at once; more means that Redis is gone for long. */
const MAX_WAITING_COMMANDS = 20_000;
const PING_INTERVAL_MS = 5_000;

export class RedisUnreachable extends Error {
  override readonly name = "RedisUnreachable";
  /** Nobody answers, or not yet; false: it answers, and lets this user do nothing. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass, cause }: { readonly mayPass: boolean; readonly cause: unknown }) {
    super(message, { cause });
    this.mayPass = mayPass;
  }
}

/** What an answer begins with that no waiting changes. */
const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM)\b/;

/** @throws RedisUnreachable when the first attempt fails */
export async function openRedis({ url, log }: { readonly url: string; readonly log: Log }): Promise<Redis> {
  const listeners = new Set<() => void>();
  const opened: RedisClient[] = [];
  let isBroken = false;

  function create(): RedisClient {
    let wasConnected = false;
    const client: RedisClient = createClient({
      url,
      name: "synapse",
      commandsQueueMaxLength: MAX_WAITING_COMMANDS,
      pingInterval: PING_INTERVAL_MS,
      socket: {
        connectTimeout: CONNECT_TIMEOUT_MS,
        // The first connection fails at once: a wrong address should be said, not waited for.
        reconnectStrategy: (retries) =>
          wasConnected ? Math.min(50 * 2 ** Math.min(retries, 6), LONGEST_RECONNECT_MS) : false,
      },
    });
    client.on("ready", () => {
      wasConnected = true;
    });
    opened.push(client);
    return client;
  }

  const client = create();
  client.on("error", (error: unknown) => {
    if (isBroken) return;
    isBroken = true;
    log.warn({ errorCode: codeOf(error) }, "Redis does not answer");
  });
  client.on("ready", () => {
    if (!isBroken) return;
    isBroken = false;
    log.info({}, "Redis is there again");
    for (const listener of listeners) listener();
  });
  await connect(client);
  isBroken = false;

  return {
    client,
    async connection() {
      const another = create();
      // Its breaks are those of the first one, which tells of them.
      another.on("error", () => undefined);
      await connect(another);
      return another;
    },
    onRestored(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    async [Symbol.asyncDispose]() {
      listeners.clear();
      for (const each of opened) if (each.isOpen) each.destroy();
    },
  };
}

async function connect(client: RedisClient): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    const [refusal] = (cause instanceof Error && REFUSED.exec(cause.message)) || [];
    const message =
      refusal === undefined
        ? `Redis does not answer at REDIS_URL (${codeOf(cause)})`
        : `Redis refuses the user or password of REDIS_URL (${refusal})`;
    throw new RedisUnreachable(message, { mayPass: refusal === undefined, cause });
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : "unknown";
}
