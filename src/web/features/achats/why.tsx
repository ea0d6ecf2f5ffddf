import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import { Notice } from "../../ui/notice.tsx";
import { TimeLineView } from "./time-line-view.tsx";

/** The story of one purchase, read when somebody asks. */
export function Why({ purchaseId }: { readonly purchaseId: string }) {
  const { data, isError, refetch } = useQuery(queries.purchaseStory(purchaseId));
  if (data !== undefined) return <TimeLineView recit={data} />;
  if (!isError) return <Skeleton height={120} aria-busy="true" aria-label="Chargement du récit" />;
  return (
    <Notice tone="neutral" action={<Button onClick={() => void refetch()}>Réessayer</Button>}>
      Le récit de cet achat n'a pas pu être lu.
    </Notice>
  );
}
