import { Skeleton, type SkeletonProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Notice, RetryButton } from "./notice.tsx";

interface LoadingProps extends SkeletonProps {
  /** "Chargement des appareils". */
  readonly label: string;
}

/** The place of what is being read. */
export function Loading({ label, ...skeleton }: LoadingProps) {
  return <Skeleton role="status" aria-busy="true" aria-label={label} {...skeleton} />;
}

interface UnreadPartProps extends LoadingProps {
  readonly query: { readonly isError: boolean; readonly refetch: () => Promise<unknown> };
  /** Shown once the read has failed. */
  readonly children: ReactNode;
}

/** The place of a part that is not there yet: it is being read, or it could not be and can be tried again. */
export function UnreadPart({ query: { isError, refetch }, children, ...loading }: UnreadPartProps) {
  if (!isError) return <Loading {...loading} />;
  return (
    <Notice tone="neutral" action={<RetryButton onRetry={refetch} />}>
      {children}
    </Notice>
  );
}
