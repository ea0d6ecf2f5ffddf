import { useQuery } from "@tanstack/react-query";
import type { OfferedBrand } from "./brand-search.ts";

/** Every brand that the product can tell apart; a long list, loaded only once somebody looks for one. */
export function useKnownBrands(isWanted: boolean): readonly OfferedBrand[] {
  const { data } = useQuery({
    queryKey: ["known-brands"],
    queryFn: async (): Promise<readonly OfferedBrand[]> =>
      (await import("#catalogue/brand-titles.ts")).knownBrands,
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? NONE;
}

const NONE: readonly OfferedBrand[] = [];
