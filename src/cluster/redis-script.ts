import { createHash } from "node:crypto";
import type { Redis } from "./redis.ts";

/** One step that Redis takes as a whole, nobody else's in between; named by its sum, sent only when Redis lacks it. */
export interface RedisScript {
  /** The script's own answer. Throws what Redis refused, or when it does not answer in time. */
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
