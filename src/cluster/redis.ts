import { createHash } from "node:crypto";
import type { RedisClientType } from "@redis/client";
import type { Log } from "#domain/log.ts";

export type RedisClient = RedisClientType;

/** Connections to the shared Redis. They reconnect automatically; commands wait meanwhile. */
export interface Redis extends AsyncDisposable {
  /** For commands that do not block. */
  readonly client: RedisClient;
  /** A further connection for blocking reads; closed with the rest. */
  connection(): Promise<RedisClient>;
  /** Called after a reconnection: messages of the meantime may be lost. */
  onRestored(listener: () => void): () => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const LONGEST_RECONNECT_MS = 1_000;
/** Many times the usual number in flight; more means that Redis is gone for long. */
const MAX_WAITING_COMMANDS = 20_000;
const PING_INTERVAL_MS = 5_000;

export class RedisUnreachable extends Error {
  override readonly name = "RedisUnreachable";
  /** True if Redis does not answer (yet); false if it answers and refuses this user. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass, cause }: { readonly mayPass: boolean; readonly cause: unknown }) {
    super(message, { cause });
    this.mayPass = mayPass;
  }
}

/** Errors that waiting does not change. */
const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM)\b/;

/** @throws RedisUnreachable when the first attempt fails */
export async function openRedis({ url, log }: { readonly url: string; readonly log: Log }): Promise<Redis> {
  // Loaded here, because one node alone does not need its hundreds of files.
  const { createClient } = await import("@redis/client");
  const listeners = new Set<() => void>();
  const opened = new Set<RedisClient>();
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
        // The first connection fails immediately, so that a wrong address is reported.
        reconnectStrategy: (retries) =>
          wasConnected ? Math.min(50 * 2 ** Math.min(retries, 6), LONGEST_RECONNECT_MS) : false,
      },
    });
    client.on("ready", () => {
      wasConnected = true;
    });
    opened.add(client);
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
    log.info({}, "Redis answers again");
    for (const listener of listeners) listener();
  });
  await connect(client);
  isBroken = false;

  return {
    client,
    async connection() {
      const another = create();
      // The first connection reports the same outages.
      another.on("error", () => undefined);
      try {
        await connect(another);
      } catch (error) {
        opened.delete(another);
        throw error;
      }
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

export interface StreamEntry {
  readonly id: string;
  readonly message: Record<string, string>;
}

/** The entries of one stream in a reply to XREAD or XREADGROUP, which the client leaves untyped. */
export function entriesOf(answer: unknown): readonly StreamEntry[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client's own form of this reply
  const streams = answer as readonly { readonly messages: readonly StreamEntry[] }[] | null;
  return streams?.[0]?.messages ?? [];
}

/** A Lua script, which Redis runs atomically; called by its SHA-1 and loaded only if it is missing. */
export interface RedisScript {
  /** The script's result. Throws Redis's error, or when Redis does not answer in time. */
  run(keys: readonly string[], values: readonly string[]): Promise<unknown>;
}

export function createRedisScript({ client }: Pick<Redis, "client">, source: string): RedisScript {
  const sum = createHash("sha1").update(source).digest("hex");
  return {
    async run(keys, values) {
      const given = { keys: [...keys], arguments: [...values] };
      try {
        return await client.evalSha(sum, given);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      await client.scriptLoad(source);
      return await client.evalSha(sum, given);
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}
