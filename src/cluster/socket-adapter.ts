import { createAdapter } from "@socket.io/redis-streams-adapter";
import type { Clock } from "#domain/clock.ts";
import { sleep } from "#domain/clock.ts";
import type { Redis, RedisClient } from "./redis.ts";
import type { Signatures } from "./signatures.ts";

/** What a socket server is given so that its servers on all nodes can ask one another. */
export type SocketAdapter = ReturnType<typeof createAdapter>;

const CHANNELS = "synapse:1:sockets";
/** The library's numbers for a question between servers, and for its answer. */
const QUESTION = 9;
const ANSWER = 10;
const MAX_COUNT = 1_000;
const READ_AGAIN_MS = 200;

/**
 * The official adapter of the socket library, as far as one question: how many sockets somebody has elsewhere. What
 * people are told goes over the bus, where it is signed, has its place in their streams and passes each socket's own
 * admission. The adapter itself believes whatever stands in Redis and would tell sockets things, throw people out,
 * and name their cookies to whoever asks: all of that is refused here.
 */
export async function createSocketAdapter(
  redis: Redis,
  signatures: Pick<Signatures, "refuse">,
  clock: Clock,
): Promise<SocketAdapter> {
  const connection = await redis.connection();
  const publish = connection.publish.bind(connection);
  const duplicate = connection.duplicate.bind(connection);
  // The adapter waits for no answer: a refusal that nobody hears would end the process.
  Object.assign(connection, {
    publish: async (channel: string, message: string) => await publish(channel, message).catch(() => 0),
    duplicate: () => readingPatiently(duplicate(), clock),
  });
  const create = createAdapter(connection, {
    streamName: CHANNELS,
    channelPrefix: CHANNELS,
    onlyPlaintext: true,
  });
  // The library calls it with `new`, which an arrow function does not bear.
  return function createGuarded(namespace: unknown) {
    const adapter = create(namespace);
    const onMessage: unknown = Reflect.get(adapter, "onMessage");
    if (typeof onMessage !== "function") throw new TypeError("the socket adapter hears in another way");
    return Object.assign(adapter, {
      onMessage(message: unknown): void {
        if (isOneOfOurs(message)) Reflect.apply(onMessage, adapter, [message]);
        else signatures.refuse("sockets");
      },
    });
  };
}

/** The adapter reads again at once whatever Redis answers: a key of another kind would have it read for ever. */
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
