/** Looks whether everything holds. */
import { checkAll } from '../oracles/index.ts'
import type { Act } from './act.ts'

/** A plan has it at fixed steps. Each run ends with it. */
export const check: Act = {
  weight: 0,
  async run(world) {
    await checkAll(world)
    return `checked, ${world.people.reduce((sum, { records }) => sum + records.size, 0)} records`
  },
}
