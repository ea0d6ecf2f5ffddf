import type { PurchaseStore, Told } from "#store/purchase-store.ts";

/**
 * Crosses off what was told, and writes down what the audit says of it. What comes while a write is under way is
 * written together with the next: what is told of many purchases does not hold up the one that is being paid.
 */
export interface ToldBook {
  /** Settles once it is durable; rejects when that failed, and then it will be told again. */
  write(told: Told): Promise<void>;
}

interface Waiting {
  readonly told: Told;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const MOST_TOGETHER = 200;

export function createToldBook(purchases: Pick<PurchaseStore, "markTold">): ToldBook {
  const waiting: Waiting[] = [];
  let isWriting = false;

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_TOGETHER);
      try {
        await purchases.markTold(batch.map(({ told }) => told));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isWriting = false;
  };

  return {
    async write(told) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ told, resolve, reject });
      if (!isWriting) void writeAll();
      await promise;
    },
  };
}
