/** Which people have pages open on which node: sockets are counted for admission, people for the feed. */
import { type Clock, withTimeout } from "#domain/clock.ts";
import { asUserId, type UserId } from "#domain/ids.ts";
import { keyOf } from "./bus.ts";
import type { Redis } from "./redis.ts";

/** How many sockets a person has on the other nodes, asked over Redis publish/subscribe. */
export interface SocketCounts {
  /** Answers the other nodes' questions from now on. */
  answerWith(countHere: (userId: UserId) => number): Promise<void>;
  /** The sum of the other nodes' answers; a node that does not answer in time counts as none. Never throws. */
  socketsOf(userId: UserId): Promise<number>;
}

export interface SocketCountsDeps {
  readonly redis: Redis;
  /** Identifies this process among the nodes. */
  readonly name: string;
  readonly clock: Clock;
}

/** A node that does not answer in this time is probably failing, and its sockets with it. */
const TIMEOUT_MS = 500;
const QUESTIONS = keyOf("socket-questions");
const answersTo = (name: string): string => keyOf(`socket-answers:${name}`);

export function createSocketCounts({ redis, name, clock }: SocketCountsDeps): SocketCounts {
  /** By question number. */
  const onAnswer = new Map<string, (count: number) => void>();
  let questionCount = 0;
  // A lost question or answer only makes the asking node wait for the timeout.
  const send = (channel: string, words: readonly unknown[]): Promise<number> =>
    redis.client.publish(channel, words.join(" ")).catch(() => 0);

  return {
    async answerWith(countHere) {
      const connection = await redis.connection();
      await connection.subscribe(QUESTIONS, (question) => {
        const [asker = "", number, userId = ""] = question.split(" ");
        if (asker !== name) void send(answersTo(asker), [number, countHere(asUserId(userId))]);
      });
      await connection.subscribe(answersTo(name), (answer) => {
        const [number = "", count] = answer.split(" ");
        onAnswer.get(number)?.(Number(count));
      });
    },
    async socketsOf(userId) {
      const number = String((questionCount += 1));
      const { promise: end, resolve } = Promise.withResolvers<void>();
      let [sum, answerCount, askedCount] = [0, 0, Infinity];
      const resolveIfComplete = (): void => {
        if (answerCount >= askedCount) resolve();
      };
      onAnswer.set(number, (count) => {
        sum += count;
        answerCount += 1;
        resolveIfComplete();
      });
      void send(QUESTIONS, [name, number, userId]).then((receiverCount) => {
        // This node is one of the receivers.
        askedCount = receiverCount - 1;
        resolveIfComplete();
      });
      await withTimeout(clock, TIMEOUT_MS, end, undefined);
      onAnswer.delete(number);
      return sum;
    },
  };
}

/** The people with an open page on any node: slices that concern them are read more often. */
export interface Watchers {
  set(userId: UserId, isWatching: boolean): void;
  /** Renews this node's entries, which expire with a dead node. */
  renew(): Promise<void>;
  /** The people of all nodes. */
  all(): Promise<ReadonlySet<UserId>>;
}

export const WATCH_RENEWED_MS = 10_000;
const VALID_FOR_MS = 30_000;
const KEY = keyOf("watching");

export function createWatchers(redis: Redis, nowMs: () => number): Watchers {
  const own = new Set<UserId>();
  const add = async (userIds: readonly UserId[]): Promise<void> => {
    if (userIds.length === 0) return;
    const score = nowMs() + VALID_FOR_MS;
    await redis.client.zAdd(
      KEY,
      userIds.map((value) => ({ score, value })),
    );
  };
  return {
    set(userId, isWatching) {
      if (!isWatching) {
        own.delete(userId);
        return;
      }
      own.add(userId);
      // A failure only delays reading: the next renewal repeats it.
      add([userId]).catch(() => undefined);
    },
    renew: async () => await add([...own]),
    async all() {
      const [, members] = await redis.client
        .multi()
        .zRemRangeByScore(KEY, "-inf", nowMs())
        .zRange(KEY, 0, -1)
        .execTyped();
      return new Set(members.map(asUserId));
    },
  };
}
