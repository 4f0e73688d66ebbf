/** Maintenance without its jobs. */
import { maintenanceParts } from '../../../server/operation/jobs/maintenance.ts'
import type { Services } from '../../../server/services.ts'

/** Runs all parts, as their jobs do: a failure is logged, and the others run all the same. */
export async function sweep(services: Services): Promise<void> {
  for (const { name, run } of maintenanceParts(services)) {
    await run().catch((error: unknown) => services.log.error({ err: error }, `${name} failed`))
  }
}
