/** The account that was created in this window last, by its DID: Home welcomes it. */
import { createStore } from '../../store.ts'

export const newAccount = createStore<string | undefined>(undefined)
