"""Greek letters and the walrus operator."""


def model_backward(grad_output, activations, params):
    δ, Γ = grad_output, []
    for χ, (ω1, β1, ω2, β2) in zip(activations[:-1][::-1], params[::-1]):
        η = relu(ζ := χ @ ω1 + β1)
        δζ = δ @ ω2.T * (ζ > 0)
        Γ.append((χ.T @ δζ, δζ.sum(0), η.T @ δ, δ.sum(0)))
        δ = δζ @ ω1.T
    return δ, Γ[::-1]
