interface LogoProps {
  /** Only the name where there is no room for the mark. */
  readonly isCompact?: boolean;
}

/** The product's mark and name: an impulse that jumps from one line to the next. */
export function Logo({ isCompact = false }: LogoProps) {
  return (
    <span className="logo" data-compact={isCompact || undefined}>
      <svg className="logo__mark" viewBox="0 0 32 32" aria-hidden="true">
        <path
          d="M21.5 8.6A8 8 0 0 0 10 13.2c0 5.6 12 1.6 12 6.6a7.4 7.4 0 0 1-11.5 3.8"
          fill="none"
          stroke="currentColor"
          strokeWidth="3.6"
          strokeLinecap="round"
        />
        <circle className="logo__impulse" cx="24" cy="8.4" r="2.8" />
      </svg>
      <span className="logo__name">Synapse</span>
    </span>
  );
}
