import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "#verify/testing/free-port.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { type RedisServer, openRedisServer } from "#verify/testing/redis-server.ts";
import { openRedis, RedisUnreachable } from "./redis.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await openRedisServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function failureAt(url: string): Promise<unknown> {
  return await openRedis({ url, log: createQuietLog() }).then(
    async (redis) => await redis[Symbol.asyncDispose](),
    (error: unknown) => error,
  );
}

test("a refused password and a Redis that does not answer give different errors, without the address", async () => {
  const stranger = new URL(server.url);
  stranger.username = "stranger";
  stranger.password = "canary";
  const refused = await failureAt(stranger.href);
  expect(refused).toBeInstanceOf(RedisUnreachable);
  expect(refused).toMatchObject({
    mayPass: false,
    message: "Redis refuses the user or password of REDIS_URL (WRONGPASS)",
  });
  expect(await failureAt(`redis://127.0.0.1:${await freePort()}`)).toMatchObject({
    mayPass: true,
    message: "Redis does not answer at REDIS_URL (ECONNREFUSED)",
  });
});
