/** Limits of the archive of events, low enough for tests with few events. */
import type { ArchiveLimits } from '../../server/repository/events/archive.ts'

export const lowArchiveLimits: ArchiveLimits = {
  startBytes: 40_000,
  keptBytes: 20_000,
  segmentBytes: 10_000,
  segmentEvents: 1000,
}
