import type { com } from '../../../lexicons/generated/index.ts'

/** A request as the server shows it. */
export type InspectedRequest = com.core.admin.listRequests.Request
