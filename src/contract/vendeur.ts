/** Sellers blocked by a person. */
import * as z from "zod/mini";
import { unixMs } from "./envelope.ts";

export const vendeurBloque = z.object({
  /** The marketplace's id; null: only the login is known. */
  id: z.nullable(z.int()),
  login: z.string(),
  depuis: unixMs,
});
export type VendeurBloque = z.infer<typeof vendeurBloque>;
