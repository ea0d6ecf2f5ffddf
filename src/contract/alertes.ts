import * as z from "zod/mini";
import { MAX_WEBHOOK_LENGTH } from "./bounds.ts";

/** Where a person is told of their purchases outside of the pages. */
export const alertes = z.object({
  /** A mask that ends with the last four characters of the webhook's address; "" while none is saved. */
  discord: z.string(),
});

export const alertesInput = z.object({
  /** The whole address of a Discord webhook; null takes it away. */
  discord: z.nullable(z.string().check(z.maxLength(MAX_WEBHOOK_LENGTH))),
});
