import { createAdapter } from "@socket.io/redis-streams-adapter";
import type { Redis } from "./redis.ts";

/** What a socket server is given so that its servers on all nodes can ask one another. */
export type SocketAdapter = ReturnType<typeof createAdapter>;

const CHANNELS = "synapse:1:sockets";

/**
 * The official adapter of the socket library. It carries questions between servers only: what people are told goes
 * over the bus, where it has its place in their streams and passes each socket's own admission. It is never asked
 * for sockets themselves: its answers would put people's cookies on the wire.
 */
export async function createSocketAdapter(redis: Redis): Promise<SocketAdapter> {
  const connection = await redis.connection();
  const publish = connection.publish.bind(connection);
  // The adapter waits for no answer: a refusal that nobody hears would end the process.
  Object.assign(connection, {
    publish: async (channel: string, message: string) => await publish(channel, message).catch(() => 0),
  });
  return createAdapter(connection, { streamName: CHANNELS, channelPrefix: CHANNELS, onlyPlaintext: true });
}
