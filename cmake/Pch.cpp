// Compiled once, to own the precompiled header of cmake/Pch.h.
