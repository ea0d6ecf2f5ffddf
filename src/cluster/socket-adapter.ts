import { createAdapter } from "@socket.io/redis-streams-adapter";
import type { Clock } from "#domain/clock.ts";
import { sleep } from "#domain/clock.ts";
import type { Redis, RedisClient } from "./redis.ts";
import type { Signatures } from "./signatures.ts";

/** Lets the socket servers of all nodes query one another. */
export type SocketAdapter = ReturnType<typeof createAdapter>;

const CHANNELS = "synapse:1:sockets";
/** The library's message types of a request between servers and of its response. */
const QUESTION = 9;
const ANSWER = 10;
const MAX_COUNT = 1_000;
const READ_AGAIN_MS = 200;

/**
 * The socket library's official adapter, restricted to one request: how many sockets a person has on other nodes. Matches
 * and purchases go over the bus, which signs them, orders them and checks each socket's session. The adapter itself
 * trusts every message in Redis and would send events, disconnect people and reveal their cookies: all other messages
 * are refused here.
 */
export async function createSocketAdapter(
  redis: Redis,
  signatures: Pick<Signatures, "refuse">,
  clock: Clock,
): Promise<SocketAdapter> {
  const connection = await redis.connection();
  const publish = connection.publish.bind(connection);
  const duplicate = connection.duplicate.bind(connection);
  // The adapter does not await `publish`: an unhandled rejection would end the process.
  Object.assign(connection, {
    publish: async (channel: string, message: string) => await publish(channel, message).catch(() => 0),
    duplicate: () => readingPatiently(duplicate(), clock),
  });
  const create = createAdapter(connection, {
    streamName: CHANNELS,
    channelPrefix: CHANNELS,
    onlyPlaintext: true,
  });
  // The library calls it with `new`, which arrow functions do not support.
  return function createGuarded(namespace: unknown) {
    const adapter = create(namespace);
    const onMessage: unknown = Reflect.get(adapter, "onMessage");
    if (typeof onMessage !== "function") throw new TypeError("the socket adapter has no onMessage");
    return Object.assign(adapter, {
      onMessage(message: unknown): void {
        if (isOneOfOurs(message)) Reflect.apply(onMessage, adapter, [message]);
        else signatures.refuse("sockets");
      },
    });
  };
}

/** The adapter retries a failed read without a pause: a key of another type would cause a busy loop. */
function readingPatiently(client: RedisClient, clock: Clock): RedisClient {
  const xRead = client.xRead.bind(client);
  return Object.assign(client, {
    xRead: async (...question: Parameters<typeof xRead>) => {
      try {
        return await xRead(...question);
      } catch (error) {
        await sleep(clock, READ_AGAIN_MS);
        throw error;
      }
    },
  });
}

/** `{ type, data: { requestId, packet: ["socketsOf", userId] } }` or `{ type, data: { requestId, packet: count } }`. */
function isOneOfOurs(message: unknown): boolean {
  if (!isRecord(message) || !isRecord(message["data"])) return false;
  const { requestId, packet } = message["data"];
  if (typeof requestId !== "string") return false;
  if (message["type"] === QUESTION)
    return (
      Array.isArray(packet) &&
      packet.length === 2 &&
      packet[0] === "socketsOf" &&
      typeof packet[1] === "string"
    );
  return (
    message["type"] === ANSWER &&
    Number.isInteger(packet) &&
    Number(packet) >= 0 &&
    Number(packet) <= MAX_COUNT
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
