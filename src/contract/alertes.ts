import * as z from "zod/mini";

/** Where a person is told of their purchases outside of the pages. */
export const alertes = z.object({
  /** A mask that ends with the last four characters of the webhook's address; "" while none is saved. */
  discord: z.string(),
});
