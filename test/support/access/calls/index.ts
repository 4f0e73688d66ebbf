/** A call of each method that reaches its handler. */
import type { CallTable } from '../model.ts'
import { accountCalls } from './account.ts'
import { adminCalls } from './admin.ts'
import { appCalls } from './app.ts'
import { dataCalls } from './data.ts'

export const calls: CallTable = { ...accountCalls, ...adminCalls, ...appCalls, ...dataCalls }
