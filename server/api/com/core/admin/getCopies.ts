import { com } from '../../../../../lexicons/generated/index.ts'
import { isAtThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const getCopies = method(com.core.admin.getCopies, {
  auth: 'admin',
  async handler({ caller, operation }) {
    const { places: own } = operation
    const added: ReadonlySet<string> = new Set(own?.added())
    const places = operation.copies.status().map(({ copiedAt, problem, isPaused, proof, lost, ...rest }) => ({
      ...rest,
      added: added.has(rest.url),
      paused: isPaused,
      lastProvenAt: proof?.provenAt === undefined ? undefined : iso(new Date(proof.provenAt)),
      proofProblem: proof?.problem,
      lastCopiedAt: copiedAt && iso(copiedAt),
      lost: lost && { changes: lost.changes, until: iso(lost.until) },
      problem: problem && { ...problem, since: problem.since && iso(problem.since) },
    }))
    return {
      places,
      elsewhere: operation.copies.isElsewhere(),
      editable: own !== undefined && own.setBy === undefined && isAtThisComputer(caller),
      setBy: own?.setBy,
      sheetKept: await own?.isSheetKept(),
    }
  },
})
