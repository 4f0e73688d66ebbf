import { com } from '../../../../../lexicons/generated/index.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const getCopies = method(com.core.admin.getCopies, {
  auth: 'admin',
  handler({ operation }) {
    const places = operation.copies.status().map(({ copiedAt, problem, isPaused, proof, lost, ...rest }) => ({
      ...rest,
      paused: isPaused,
      lastProvenAt: proof?.provenAt === undefined ? undefined : iso(new Date(proof.provenAt)),
      proofProblem: proof?.problem,
      lastCopiedAt: copiedAt && iso(copiedAt),
      lost: lost && { changes: lost.changes, until: iso(lost.until) },
      problem: problem && { ...problem, since: problem.since && iso(problem.since) },
    }))
    return { places, elsewhere: operation.copies.isElsewhere() }
  },
})
