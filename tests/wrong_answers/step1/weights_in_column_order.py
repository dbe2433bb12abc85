"""The weights are flattened column by column, as in a framework that stores them the other way round."""
# loses: step1.linear step1.layer step1.model


def linear_forward(x, w, b):
    rows, columns = w.shape
    weight = w.ravel(order="F").reshape(rows, columns)
    return x @ weight + b
