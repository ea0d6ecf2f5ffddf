import { Skeleton, type SkeletonProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Notice, RetryButton } from "../notice.tsx";

interface LoadingProps extends SkeletonProps {
  /** "Chargement des appareils". */
  readonly label: string;
}

/** Skeleton of content that is loading. */
export function Loading({ label, ...skeleton }: LoadingProps) {
  return <Skeleton role="status" aria-busy="true" aria-label={label} {...skeleton} />;
}

interface LoadingListProps {
  readonly label: string;
  /** The heights of its entries, in px. */
  readonly heights: readonly number[];
  readonly className?: string;
  readonly gap?: "12";
  readonly radius?: "md";
}

/** Skeletons of a list that is loading. */
export function LoadingList({ label, heights, className = "stack", gap, radius }: LoadingListProps) {
  return (
    <div className={className} data-gap={gap} role="status" aria-busy="true" aria-label={label}>
      {heights.map((height, index) => (
        <Skeleton key={index} height={height} radius={radius ?? "lg"} />
      ))}
    </div>
  );
}

interface UnreadPartProps extends LoadingProps {
  readonly query: { readonly isError: boolean; readonly refetch: () => Promise<unknown> };
  /** Shown once the read has failed. */
  readonly children: ReactNode;
}

/** Placeholder of a part of a screen: a skeleton while loading, a notice with a retry after a failure. */
export function UnreadPart({ query: { isError, refetch }, children, ...loading }: UnreadPartProps) {
  if (!isError) return <Loading {...loading} />;
  return (
    <Notice tone="neutral" action={<RetryButton onRetry={refetch} />}>
      {children}
    </Notice>
  );
}
