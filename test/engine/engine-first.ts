/**
 * Specs of files that hold state import this first. The files of the engine import one another in circles, and
 * constants are set in the order in which files are met: from the engine's entry on, as in the engine itself.
 */
import "../../assembly/engine";
