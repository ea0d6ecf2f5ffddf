import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { asUserId } from "#domain/ids.ts";
import type { ProductEvent } from "#domain/events.ts";
import { systemClock as clock } from "#server/clock.ts";
import { createEventBus } from "#server/events.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openRedisServer } from "#verify/testing/redis-server.ts";
import { createRedisBus, shareEvents } from "./bus.ts";
import { openRedis } from "./redis.ts";

const event: ProductEvent = { kind: "user_changed", userId: asUserId("u1") };

test("an event that Redis refuses at first reaches the other node once Redis accepts it", async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await openRedisServer());
  const node = async () => {
    const [name, log] = [randomUUID(), createQuietLog()];
    const redis = stack.use(await openRedis({ url, log }));
    const bus = createRedisBus({ redis, name, clock, log });
    stack.defer(() => bus.stop());
    return { redis, log, events: await shareEvents(createEventBus(log), { bus, name, clock, log }) };
  };
  const [here, there] = [await node(), await node()];
  const received: ProductEvent[] = [];
  there.events.subscribe((one) => void received.push(one));
  // Simulates a server without memory: writes are refused, reads are not.
  await here.redis.client.configSet("maxmemory", "1");
  await here.events.publish(event);
  expect(received).toEqual([]);
  await here.redis.client.configSet("maxmemory", "0");
  await expect.poll(() => received).toEqual([event]);
  expect(here.log.lines).toEqual([]);
});
