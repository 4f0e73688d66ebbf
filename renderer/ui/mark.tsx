/** The logo: a house with a keyhole. */
export function Mark({ size = 32 }: { readonly size?: number }) {
  return (
    <svg aria-hidden="true" height={size} viewBox="0 0 32 32" width={size}>
      <rect fill="var(--accent)" height="32" rx="8" width="32" />
      <g
        fill="none"
        stroke="var(--on-accent)"
        strokeLinecap="round"
        strokeLinejoin="round"
        strokeWidth="2.25"
      >
        <path d="M8.5 15 16 8.5l7.5 6.5v8.5h-15z" />
        <path d="M16 17v3.75" />
      </g>
      <circle cx="16" cy="16.5" fill="var(--on-accent)" r="1.9" />
    </svg>
  )
}
