/** All requirements, in the order in which they are measured. */
import { repo } from './areas/repo.ts'
import { stream } from './areas/stream.ts'
import type { Requirement } from './requirement.ts'

export const requirements: readonly Requirement[] = [...repo, ...stream]
