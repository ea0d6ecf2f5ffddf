import { expect, test } from "vitest";
import { systemClock } from "#server/clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openRedisServer } from "#verify/testing/redis-server.ts";
import { openRedis, type Redis } from "./redis.ts";
import { createStreamConsumer, MESSAGE_FIELD } from "./stream-consumer.ts";

test("a subscription whose connection is refused at first still receives every message", async () => {
  await using server = await openRedisServer();
  const log = createQuietLog();
  await using redis = await openRedis({ url: server.url, log });
  let attempts = 0;
  const refusing: Redis = {
    ...redis,
    async connection() {
      attempts += 1;
      if (attempts === 1) throw new Error("refused");
      return await redis.connection();
    },
  };
  const consumer = createStreamConsumer({ redis: refusing, clock: systemClock, log });
  const received: string[] = [];
  consumer.subscribe("refused:key", "0-0", ({ text }) => received.push(text));
  await redis.client.xAdd("refused:key", "*", { [MESSAGE_FIELD]: "one" });
  await expect.poll(() => received).toEqual(["one"]);
  expect(attempts).toBe(2);
  await consumer.stop();
});
