import * as z from "zod/mini";

/** The channels of a person's purchase alerts outside of the pages. */
export const alertes = z.object({
  /** A mask that ends with the last four characters of the webhook's address; "" while none is saved. */
  discord: z.string(),
});
