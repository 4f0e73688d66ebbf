/** Parses Retry-After, seconds or a date (RFC 9110 §10.2.3), to milliseconds from now; 0 if absent or invalid. */
export function retryAfter(value: string | undefined, now: Date): number {
  const text = value?.trim() ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return ms > 0 ? ms : 0
}
